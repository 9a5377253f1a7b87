import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useKeys } from "../keyboard/keys.ts";

/**
 * What one looks at beside a page that stays in use. It takes the focus when it opens and gives it back when it closes.
 * At phone width it is the whole page.
 */
export function Drawer({
  label,
  onClose,
  children,
}: {
  label: string;
  onClose: () => void;
  children: ComponentChildren;
}) {
  const element = useRef<HTMLElement>(null);
  useKeys(label, { esc: { label: "Close", run: onClose } });
  useEffect(() => {
    const before = document.activeElement;
    element.current?.focus({ preventScroll: true });
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, []);
  return (
    <aside ref={element} class="drawer" aria-label={label} tabIndex={-1}>
      {children}
    </aside>
  );
}
