/**
 * An object with some methods of its own in the place of another's. The others run on the object that they belong to, which may
 * have private parts.
 */
export function overlay<Target extends object>(target: Target, own: Partial<Target>): Target {
  return new Proxy(target, {
    get(_, key) {
      if (Object.hasOwn(own, key)) return Reflect.get(own, key);
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
