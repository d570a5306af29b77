/** The author of a message. */
export type Author = "user" | "model" | "tool" | "task";
/** The importance of a message: a bad or good end, a warning, an open question, or progress that may be quiet. */
export type Tone = "plain" | "quiet" | "good" | "warn" | "bad" | "ask";

/** How a kind of message is shown. */
export interface Kind {
  readonly title: string;
  readonly author: Author;
  readonly tone: Tone;
}

export const kind = (title: string, author: Author, tone: Tone = "plain"): Kind => ({ title, author, tone });
