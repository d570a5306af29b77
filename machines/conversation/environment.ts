import { textBlock } from "./blocks.ts";
import type { Conversation } from "./conversation.ts";
import type { Entry, TextBlock } from "./entry.ts";
import { escapeTag } from "./escape-tag.ts";
import { memoize } from "./memoize.ts";

/** A section of an environment block: a title with `# ` in front, then at least one line. */
export interface EnvironmentSection {
  /** The title without what is in parentheses at its end. */
  readonly name: string;
  /** All of it, escaped. */
  readonly text: string;
}

/** Sections by their names. */
export type Environment = ReadonlyMap<string, EnvironmentSection>;

const TAG = "environment_details";
const OPENING = `<${TAG}>\n`;
const CLOSING = `\n</${TAG}>`;
const SEPARATOR = "\n\n";

/** The names of the sections that other code reads. */
export const CURRENT_TIME = "Current time";
export const CURRENT_MODE = "Current mode";
export const TODO_LIST = "Todo list";

/** The sections that must outlive the entries that have them: the next request does not have them unless they change. */
const CARRIED: readonly string[] = [CURRENT_MODE, TODO_LIST];

/** A section. No line of `body` may be blank and followed by one that begins with `# `. */
export const environmentSection = (title: string, body: string): EnvironmentSection => ({
  name: nameOf(title),
  text: escapeEnvironment(`# ${title}\n${body}`),
});

/** Text in an environment block, which it must not close. */
export const escapeEnvironment = (text: string): string => escapeTag(TAG, text);

/** The environment block of a request. */
export const environmentText = (sections: readonly EnvironmentSection[]): string =>
  `${OPENING}${sections.map(({ text }) => text).join(SEPARATOR)}${CLOSING}`;

/** Whether an environment block names the mode: only one that differs from what the conversation says does. */
export const namesMode = (block: string): boolean => parse(block).some(([name]) => name === CURRENT_MODE);

/** The newest environment block of a conversation. */
export function newestEnvironment(conversation: Conversation): string | undefined {
  for (let index = conversation.length - 1; index >= 0; index -= 1) {
    const entry = conversation.at(index);
    const block = entry === undefined ? undefined : environmentsIn(entry).at(-1);
    if (block !== undefined) return block.text;
  }
  return undefined;
}

/** The newest section of each name in a conversation. */
export function environmentOf(conversation: Conversation): Environment {
  const sections = new Map<string, EnvironmentSection>();
  for (const entries of conversation.leaves())
    for (const [name, section] of sectionsOfAll(entries)) sections.set(name, section);
  return sections;
}

/** The newest section of each name in an entry. */
export const sectionsIn = memoize((entry: Entry): Environment => {
  const blocks = environmentsIn(entry);
  return blocks.length === 0 ? NONE : new Map(blocks.flatMap(({ text }) => parse(text)));
});
const NONE: Environment = new Map();

/** Versions of a conversation share these arrays of entries. */
const sectionsOfAll = memoize(
  (entries: readonly Entry[]): Environment => new Map(entries.flatMap((entry) => [...sectionsIn(entry)])),
);

/**
 * The block with what the first `from` entries say about the environment, where later ones may not repeat it. Undefined if
 * it would say nothing but what is `kept`.
 */
export function carriedEnvironment(
  conversation: Conversation,
  from: number,
  kept: Environment = NONE,
): TextBlock | undefined {
  const sections = environmentOf(conversation.truncate(from));
  const carried = CARRIED.flatMap((name) => sections.get(name) ?? []).filter(
    ({ name, text }) => kept.get(name)?.text !== text,
  );
  return carried.length === 0 ? undefined : textBlock(environmentText(carried));
}

/** Whether {@link carriedEnvironment} created the block: the block of a request also has other sections. */
export const isCarriedEnvironment = (block: Entry["content"][number]): boolean =>
  isEnvironment(block) && parse(block.text).every(([name]) => CARRIED.includes(name));

const environmentsIn = ({ role, content }: Entry): readonly TextBlock[] =>
  role === "user" ? content.filter(isEnvironment) : [];

const isEnvironment = (block: Entry["content"][number]): block is TextBlock =>
  block.type === "text" && isEnvironmentText(block.text);

/** Whether a text is an environment block. */
export const isEnvironmentText = (text: string): boolean =>
  text.startsWith(OPENING) && text.endsWith(CLOSING);

function parse(text: string): (readonly [string, EnvironmentSection])[] {
  return text
    .slice(OPENING.length, -CLOSING.length)
    .split(/\n\n(?=# )/)
    .flatMap((section) => {
      const [, title] = /^# (.*)\n/.exec(section) ?? [];
      if (title === undefined) return [];
      const name = nameOf(title);
      return [[name, { name, text: section }] as const];
    });
}

function nameOf(title: string): string {
  const end = title.indexOf(" (");
  return end < 0 ? title : title.slice(0, end);
}
