export { DIFF_MAX_LINES, Diff } from "./diff.tsx";
export { isDiff } from "./diff-lines.ts";
export { Folded } from "./folded.tsx";
export { JSON_MAX_MEMBERS, Json } from "./json.tsx";
export { MARKDOWN_MAX_CHARS, MARKDOWN_MAX_MARKS, SafeMarkdown } from "./markdown.tsx";
export { Output } from "./output.tsx";
export { Paragraph, PLAIN_MAX_CHARS, Plain, Short } from "./plain.tsx";
export { headOf, printable, shortened } from "./printable.ts";
