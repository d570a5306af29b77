/** The parser of Markdown. The built page has it in a file of its own, `embed-markdown.js`. */
export { parseMarkdown } from "./text/parse-markdown.ts";
