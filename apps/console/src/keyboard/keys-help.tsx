import { signal } from "@preact/signals";
import { Dialog } from "../components/dialog.tsx";
import { layers } from "./keys.ts";

export const helpIsOpen = signal(false);

/** All keys that work here and now, by what they belong to. */
export function KeysHelp() {
  if (!helpIsOpen.value) return null;
  const close = () => {
    helpIsOpen.value = false;
  };
  return (
    <Dialog title="Keys" onClose={close}>
      <div class="keys-help">
        {layers.value
          .filter((layer) => layer.title !== "Keys")
          .map((layer) => (
            <section key={layer.title}>
              <h3>{layer.title}</h3>
              <dl>
                {Object.entries(layer.keys).map(([keys, { label }]) => (
                  <div key={keys}>
                    <dt>
                      {keys.split(" ").map((key) => (
                        <kbd key={key}>{key}</kbd>
                      ))}
                    </dt>
                    <dd>{label}</dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
      </div>
    </Dialog>
  );
}
