import bash from "refractor/bash";
import c from "refractor/c";
import { refractor } from "refractor/core";
import cpp from "refractor/cpp";
import csharp from "refractor/csharp";
import css from "refractor/css";
import docker from "refractor/docker";
import go from "refractor/go";
import ini from "refractor/ini";
import java from "refractor/java";
import javascript from "refractor/javascript";
import json from "refractor/json";
import jsx from "refractor/jsx";
import kotlin from "refractor/kotlin";
import lua from "refractor/lua";
import makefile from "refractor/makefile";
import markup from "refractor/markup";
import php from "refractor/php";
import powershell from "refractor/powershell";
import python from "refractor/python";
import ruby from "refractor/ruby";
import rust from "refractor/rust";
import scss from "refractor/scss";
import sql from "refractor/sql";
import swift from "refractor/swift";
import toml from "refractor/toml";
import tsx from "refractor/tsx";
import typescript from "refractor/typescript";
import yaml from "refractor/yaml";

const LANGUAGES = [
  // The languages of styles and scripts add themselves to it.
  markup,
  ...[bash, c, cpp, csharp, css, docker, go, ini, java, javascript, json, jsx, kotlin, lua, makefile],
  ...[php, powershell, python, ruby, rust, scss, sql, swift, toml, tsx, typescript, yaml],
];
/** Names besides the library's own. */
const ALIASES = {
  bash: ["console", "shellscript", "zsh"],
  cpp: ["c++"],
  csharp: ["c#"],
  go: ["golang"],
  javascript: ["cjs", "mjs"],
  json: ["json5", "jsonc"],
  powershell: ["ps1"],
  rust: ["rs"],
  typescript: ["cts", "mts"],
};
/** Languages of the library that have no tokens. */
const PLAIN: ReadonlySet<string> = new Set(["plain", "plaintext", "text", "txt"]);

/** A part of a code text. */
export interface CodeToken {
  readonly text: string;
  /** The kinds of the tokens around it, the innermost last: `["string", "interpolation"]`. */
  readonly kinds: readonly string[];
}

type SyntaxNode = ReturnType<typeof refractor.highlight>["children"][number];

/** The language of a fence's info string, as `ts` of `ts title="a.ts"`. Undefined for an unknown one. */
export function languageOf(info: string | undefined): string | undefined {
  const name = /^[\w#+-]+/.exec(info ?? "")?.[0].toLowerCase();
  if (name === undefined || PLAIN.has(name)) return undefined;
  register();
  return refractor.registered(name) ? name : undefined;
}

/** The grammars take some milliseconds, so they are registered with the first block of code. */
function register(): void {
  if (refractor.registered("yaml")) return;
  for (const language of LANGUAGES) refractor.register(language);
  refractor.alias(ALIASES);
}

/** The tokens of a code text, each a list of its parts. */
export const tokensOf = (code: string, language: string): readonly (readonly CodeToken[])[] =>
  refractor.highlight(code, language).children.map((node) => parts(node, []));

function parts(node: SyntaxNode, kinds: readonly string[]): readonly CodeToken[] {
  if (node.type === "text") return [{ text: node.value, kinds }];
  if (node.type !== "element") return [];
  const { className } = node.properties;
  // The library puts the type first and its more general names after it.
  const own = Array.isArray(className) ? className.map(String).toReversed() : [];
  return node.children.flatMap((child) => parts(child, [...kinds, ...own]));
}
