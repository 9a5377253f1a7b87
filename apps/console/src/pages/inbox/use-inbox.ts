import type { InboxItem, Page } from "@toolrig/server/wire";
import { useEffect, useRef, useState } from "preact/hooks";
import { inboxCount, onFeed } from "../../api/feed.ts";
import { useResource } from "../../api/use-resource.ts";
import { forget, outgoing } from "./decisions.ts";

const SETTLE_MS = 250;

export interface Inbox {
  /** In the order in which they are shown, which does not change under the reader's eyes. */
  items: readonly InboxItem[] | undefined;
  /** How many came since, and are not shown yet. */
  fresh: number;
  showFresh(): void;
  resource: ReturnType<typeof useResource<Page<InboxItem>>>;
}

/**
 * What waits. Read again whenever the feed tells of calls that wait, or no longer do. What comes while somebody reads is
 * counted until it is asked for; what is over goes.
 */
export function useInbox(): Inbox {
  const resource = useResource<Page<InboxItem>>("/inbox", { limit: 500 });
  const [known, setKnown] = useState<readonly string[]>([]);
  const listed = resource.data?.items;
  const reload = useRef(resource.reload);
  reload.current = resource.reload;
  const waiting = inboxCount.value;

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const soon = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        reload.current();
      }, SETTLE_MS);
    };
    const stop = onFeed({ calls: (lines) => lines.some(touchesWaits) && soon(), gap: soon });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, []);
  useEffect(() => reload.current(), [waiting]);

  useEffect(() => {
    if (listed === undefined) return;
    const ids = new Set(listed.map(({ id }) => id));
    for (const id of outgoing.value.keys()) if (!ids.has(id)) forget(id);
    const shown = known.filter((id) => ids.has(id));
    // Nobody reads an empty page: what comes first is shown at once.
    if (shown.length === 0 && listed.length > 0) setKnown(listed.map(({ id }) => id));
  }, [listed, known]);

  const byId = new Map(listed?.map((item) => [item.id, item]));
  const items = known.flatMap((id) => byId.get(id) ?? []);
  return {
    items: listed === undefined ? undefined : items.length === 0 ? listed : items,
    fresh: items.length === 0 ? 0 : (listed?.length ?? 0) - items.length,
    showFresh: () => setKnown(listed?.map(({ id }) => id) ?? []),
    resource,
  };
}

function touchesWaits(line: { waiting?: unknown; state: string; endedAt?: number }): boolean {
  return line.waiting !== undefined || line.endedAt !== undefined;
}
