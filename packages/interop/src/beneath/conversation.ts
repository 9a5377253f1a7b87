import type { CallExecutor, InformationFlow, Principal } from "@toolrig/core";

/** How many conversations are known apart. */
const MOST = 10_000;

/** What a run, or all runs of a conversation, have read: where it came from last. */
interface Read {
  untrusted?: string | undefined;
  private?: string | undefined;
}

/**
 * What the runs of one conversation have read. Peers begin a run for each message of the user, and show their models what came before;
 * their tools are shown nothing of it. So a run begins as having read what those before it have.
 */
export class Conversation {
  #read: Read;
  /** Grows with what was read. */
  #version: number;

  constructor(read: Read = {}) {
    this.#read = read;
    this.#version = read.untrusted === undefined && read.private === undefined ? 0 : 1;
  }

  get read(): Read {
    return this.#read;
  }

  get version(): number {
    return this.#version;
  }

  add({ untrusted, private: secret }: Read): void {
    const isKnown = (known: string | undefined, given: string | undefined) =>
      given === undefined || known !== undefined;
    if (isKnown(this.#read.untrusted, untrusted) && isKnown(this.#read.private, secret)) return;
    this.#read = { untrusted: this.#read.untrusted ?? untrusted, private: this.#read.private ?? secret };
    this.#version += 1;
  }
}

/** One run of a conversation. */
export class ConversationRun {
  readonly #conversation: Conversation;
  #told = 0;

  constructor(conversation: Conversation) {
    this.#conversation = conversation;
  }

  /** Before a call: the run has read what others have, each of it told once, so that a decision to trust it stays. */
  hear(flow: InformationFlow, runId: string): void {
    const { read, version } = this.#conversation;
    if (this.#told === version) return;
    this.#told = version;
    if (read.untrusted !== undefined) flow.outsiderSaid(runId, `an earlier run: ${read.untrusted}`);
    if (read.private === undefined) return;
    const labels = { confidentiality: "private" as const, source: `an earlier run: ${read.private}` };
    flow.recall(runId, { name: "an earlier run", labels, isError: true, content: [] });
  }

  /** After a call: what it has read, others will have. */
  tell(flow: InformationFlow, runId: string): void {
    const hasHeardAll = this.#told === this.#conversation.version;
    const { untrusted, private: secrets } = flow.labels(runId);
    this.#conversation.add({ untrusted: untrusted.at(-1), private: secrets.at(-1) });
    if (hasHeardAll) this.#told = this.#conversation.version;
  }
}

/** The conversations of a list of tools, by their names. */
export class Conversations {
  readonly #byName = new Map<string, Conversation>();
  /** What those have read that are no longer known apart: any that is not known may be one of them. */
  readonly #forgotten = new Conversation();

  of(name: string): Conversation {
    const conversation = this.#byName.get(name) ?? new Conversation(this.#forgotten.read);
    this.#byName.delete(name);
    this.#byName.set(name, conversation);
    const [oldest] = this.#byName;
    if (this.#byName.size > MOST && oldest !== undefined) {
      this.#forgotten.add(oldest[1].read);
      this.#byName.delete(oldest[0]);
    }
    return conversation;
  }
}

const byExecutor = new WeakMap<CallExecutor, Conversations>();

/** Of loops that are made anew for each message, and have nothing in common but their executor and for whom they are. */
export function sharedConversation(executor: CallExecutor, principal: Principal | undefined): Conversation {
  const conversations = byExecutor.get(executor) ?? new Conversations();
  byExecutor.set(executor, conversations);
  return conversations.of(JSON.stringify([principal?.id]));
}
