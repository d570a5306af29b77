import type { SearchHit } from "../../wire/http/search.ts";

/** A search in the recorded tasks. One of the two is given. */
export interface TaskSearch {
  /** A text in any message, entry or event. Upper and lower case are the same. */
  readonly text?: string;
  /** The name of a tool that was called. */
  readonly tool?: string;
}

/** The most records that are found in one task, and in all. */
export const TASK_HITS_MAX = 5;
export const HITS_MAX = 2_000;

/** Characters of an excerpt before and after the text. */
const BEFORE = 60;
const AFTER = 120;

/** A character of a string in JSON: the excerpt ends with the string. */
const IN_STRING = '(?:[^"\\\\]|\\\\.)';

/** The text that a search looks for, as a journal has it; empty if there is nothing to look for. */
export const searchedText = ({ text = "", tool }: TaskSearch): string =>
  tool === undefined ? JSON.stringify(text).slice(1, -1) : `"name":${JSON.stringify(tool)}`;

/**
 * The regular expression of a line with a searched text. Its groups are the number of the record and the excerpt.
 * @param searched the regular expression of the text
 */
export function linePattern({ tool }: TaskSearch, searched: string): string {
  const around = tool === undefined ? IN_STRING : ".";
  return `^\\{"crc":"\\w+","seq":(?<seq>\\d+),.*?(?<excerpt>${around}{0,${BEFORE}}${searched}${around}{0,${AFTER}})`;
}

/** A record that was found. `excerpt`: as JSON has it. */
export function searchHit(taskId: string, record: number, excerpt: string): SearchHit {
  const plain = excerpt.replaceAll(/\\(["\\/nrt])/g, (_, sign: string) => (/\w/.test(sign) ? " " : sign));
  return { taskId, record, excerpt: plain };
}
