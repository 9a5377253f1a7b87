import { Drawer } from "../../components/drawer.tsx";
import { CallStoryView } from "./call-story.tsx";

/** The whole story of a call beside the page one is on. */
export function CallDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  return (
    <Drawer label="Call" onClose={onClose}>
      <CallStoryView id={id} onClose={onClose} />
    </Drawer>
  );
}
