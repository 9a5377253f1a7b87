import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

/** Rows above and below what is seen, so that scrolling does not show gaps. */
const BEYOND = 8;

/**
 * A list of any length of which only what is seen is made into elements. Rows have one height, in pixels. The list scrolls
 * by itself and fills its parent. Row `selected` is kept in view when it changes.
 */
export function VirtualList<Item>({
  items,
  rowHeight,
  keyOf,
  render,
  label,
  selected = -1,
  onScroll,
  onEnd,
  element,
}: {
  items: readonly Item[];
  rowHeight: number;
  keyOf: (item: Item) => string;
  render: (item: Item, index: number) => ComponentChildren;
  label: string;
  selected?: number;
  onScroll?: (top: number) => void;
  /** The reader is near the end: there may be more to read. */
  onEnd?: () => void;
  element?: RefObject<HTMLElement | null>;
}) {
  const own = useRef<HTMLElement>(null);
  const scroller = element ?? own;
  const [view, setView] = useState({ top: 0, height: 800 });

  useLayoutEffect(() => {
    const box = scroller.current;
    if (box === null) return;
    const observer = new ResizeObserver(() => setView({ top: box.scrollTop, height: box.clientHeight }));
    observer.observe(box);
    return () => observer.disconnect();
  }, [scroller]);

  useEffect(() => {
    const box = scroller.current;
    if (box === null || selected < 0) return;
    const top = selected * rowHeight;
    if (top < box.scrollTop) box.scrollTop = top;
    else if (top + rowHeight > box.scrollTop + box.clientHeight)
      box.scrollTop = top + rowHeight - box.clientHeight;
  }, [selected, rowHeight, scroller]);

  const from = Math.max(0, Math.floor(view.top / rowHeight) - BEYOND);
  const to = Math.min(items.length, Math.ceil((view.top + view.height) / rowHeight) + BEYOND);
  return (
    <section
      ref={scroller}
      class="virtual-list"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys.
      tabIndex={0}
      onScroll={({ currentTarget: box }) => {
        setView({ top: box.scrollTop, height: box.clientHeight });
        onScroll?.(box.scrollTop);
        if (box.scrollTop + box.clientHeight > box.scrollHeight - 20 * rowHeight) onEnd?.();
      }}
    >
      <div class="virtual-all" style={{ height: `${items.length * rowHeight}px` }}>
        <ul style={{ transform: `translateY(${from * rowHeight}px)` }}>
          {items.slice(from, to).map((item, index) => (
            <li key={keyOf(item)} style={{ height: `${rowHeight}px` }}>
              {render(item, from + index)}
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}
