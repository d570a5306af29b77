import { escapeTag } from "../../machines/conversation/escape-tag.ts";

/** The element of an attached file. */
export const FILE_CONTENT = "file_content";

/** A file name, todo or title in one line of valid characters. */
export function oneLine(text: string): string {
  return text.toWellFormed().replaceAll(/[\p{Cc}\u2028\u2029]/gu, "\ufffd");
}

/** A text of at most this many characters, with a mark where it is cut. */
export function shortened(text: string, chars: number): string {
  return text.length <= chars ? text : `${text.slice(0, chars).toWellFormed()}... (cut)`;
}

/** Lines without any of the environment details. */
export const quoted = (text: string): string => text.replace(/\r?\n$/, "").replaceAll(/^/gm, "> ");

/** An element that marks where its text comes from, of valid characters. */
export function element(name: string, attributes: Readonly<Record<string, string>>, text: string): string {
  const marks = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeAttribute(value)}"`);
  return `<${name}${marks.join("")}>\n${escapeTag(name, text.toWellFormed())}\n</${name}>`;
}

/** The value of the first attribute of a text that {@link element} created. */
export function attributeOf(name: string, attribute: string, text: string): string | undefined {
  const start = `<${name} ${attribute}="`;
  if (!text.startsWith(start)) return undefined;
  const value = text.slice(start.length, text.indexOf('"', start.length));
  return value.replaceAll("&lt;", "<").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
}

const escapeAttribute = (value: string): string =>
  oneLine(value).replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
