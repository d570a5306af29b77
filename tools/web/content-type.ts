import { ToolError } from "../error.ts";

/** Types that are text. */
const TEXT =
  /^(?:text\/.+|.+\+(?:json|xml|yaml)|application\/(?:json|xml|(?:x-)?(?:javascript|ecmascript|typescript|yaml|toml|sh|ndjson|sql|tex|latex)|json-seq|graphql|markdown))$/;
const IMAGE = /^image\/(?:png|jpe?g|gif|webp)$/;
const HTML: ReadonlySet<string> = new Set(["text/html", "application/xhtml+xml"]);
/** Types that say nothing. */
const UNKNOWN: ReadonlySet<string> = new Set(["", "application/octet-stream", "binary/octet-stream"]);

export const isText = (type: string): boolean => TEXT.test(type);
export const isHtml = (type: string): boolean => HTML.has(type);
export const isUnknown = (type: string): boolean => UNKNOWN.has(type);

/** Whether a response of this type may have something for the model. */
export const isReadable = (type: string): boolean => isText(type) || isUnknown(type) || IMAGE.test(type);

/** The error for what is not shown. */
export const binary = (received: string): ToolError =>
  new ToolError(
    "BINARY",
    `Expected text, HTML, JSON, or a png, jpeg, gif or webp image, received ${received}. Continue without it, or use a command.`,
  );
