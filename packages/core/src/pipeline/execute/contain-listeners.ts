/**
 * Makes abort listeners that throw harmless. The platform treats an exception in a listener as uncaught and ends the
 * process: a tool that cleans up badly would take every other call with it. `report` is told instead.
 */
export function containListeners(signal: AbortSignal, report: (error: unknown) => void): AbortSignal {
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  const contained = new WeakMap<object, EventListener>();

  function contain(listener: EventListenerOrEventListenerObject): EventListener {
    const known = contained.get(listener);
    if (known !== undefined) return known;
    const safe = (event: Event) => {
      try {
        if (typeof listener === "function") listener.call(signal, event);
        else listener.handleEvent(event);
      } catch (error) {
        report(error);
      }
    };
    contained.set(listener, safe);
    return safe;
  }

  let onAbort: EventListenerOrEventListenerObject | null = null;
  Object.defineProperties(signal, {
    addEventListener: {
      value: (
        type: string,
        listener: EventListenerOrEventListenerObject | null,
        options?: AddEventListenerOptions,
      ) => listener && add(type, contain(listener), options),
    },
    removeEventListener: {
      value: (
        type: string,
        listener: EventListenerOrEventListenerObject | null,
        options?: EventListenerOptions,
      ) => listener && remove(type, contained.get(listener) ?? listener, options),
    },
    onabort: {
      get: () => onAbort,
      set(listener: EventListenerOrEventListenerObject | null) {
        if (onAbort !== null) signal.removeEventListener("abort", onAbort);
        onAbort = typeof listener === "function" ? listener : null;
        if (onAbort !== null) signal.addEventListener("abort", onAbort);
      },
    },
  });
  return signal;
}
