import { escapeTag } from "../../machines/conversation/index.ts";

/** A file name, todo or title in one line of valid characters. */
export function oneLine(text: string): string {
  return text.toWellFormed().replaceAll(/[\p{Cc}\u2028\u2029]/gu, "\ufffd");
}

/** An element that marks where its text comes from, of valid characters. */
export function element(name: string, attributes: Readonly<Record<string, string>>, text: string): string {
  const marks = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeAttribute(value)}"`);
  return `<${name}${marks.join("")}>\n${escapeTag(name, text.toWellFormed())}\n</${name}>`;
}

const escapeAttribute = (value: string): string =>
  oneLine(value).replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
