import { escapeTag } from "../../machines/conversation/escape-tag.ts";

/** Begins the name of each mark. */
export const MARK = "monitored_";

/** Content for a model that judges it, between marks. It can't end this mark, and can't begin or end another one. */
export const marked = (name: string, content: string): string =>
  `<${MARK}${name}>\n${escapeTag(MARK, content) || "(empty)"}\n</${MARK}${name}>`;
