export { DIFF_MAX_LINES, Diff, type DiffProps } from "./diff.tsx";
export { isDiff } from "./diff-lines.ts";
export { Folded, type FoldedProps } from "./folded.tsx";
export { JSON_MAX_MEMBERS, Json, type JsonProps } from "./json.tsx";
export { jsonOf } from "./json-of.ts";
export { MARKDOWN_MAX_CHARS, MARKDOWN_MAX_MARKS, SafeMarkdown, type SafeMarkdownProps } from "./markdown.tsx";
export { Output } from "./output.tsx";
export { PLAIN_MAX_CHARS, Plain, type PlainProps, Short } from "./plain.tsx";
export { headOf, printable, shortened } from "./unseen.ts";
