/** The number of things that laws were checked on. */
export interface Checked {
  /** Commits, each with the state after it. */
  readonly commits: number;
  /** Changes of the log. */
  readonly changes: number;
  readonly messages: number;
  readonly requests: number;
  readonly asks: number;
  /** Conversations that were sent. */
  readonly sent: number;
}

/** A law that recorded commits can be checked against. */
export interface MonitoredLaw {
  /** Its name, as in `docs/concepts/laws.md`. */
  readonly name: string;
  readonly title: string;
  /** The things that it is checked on. */
  readonly of: keyof Checked;
}

/** The laws that {@link CommitMonitor} checks, by their ids. An exploration reports them by the same titles. */
export const MONITORED_LAWS = {
  L1: { name: "Derivation", title: "the machine's state is the state that its log derives", of: "commits" },
  L2: {
    name: "Replica",
    title:
      "folding the emitted events gives the log, the conversation, the queue and the phases of the calls",
    of: "changes",
  },
  L3: {
    name: "Partial",
    title: "at most one message is partial: the last one, while streaming",
    of: "messages",
  },
  L4: {
    name: "Request",
    title: "a request is open exactly while streaming, and is closed once, with its cost and its reason",
    of: "requests",
  },
  L5: {
    name: "Identity",
    title: "ts strictly increases, and only messages that may change do",
    of: "changes",
  },
  L6: {
    name: "Pairing",
    title: "every conversation that is sent pairs tool calls and results, and has responses unchanged",
    of: "sent",
  },
  L8: {
    name: "One ask",
    title: "at most one ask is open, it is the last message, each is closed once",
    of: "asks",
  },
} as const satisfies Readonly<Record<string, MonitoredLaw>>;

/** The id of a law that recorded commits can be checked against. */
export type MonitoredLawId = keyof typeof MONITORED_LAWS;
