export { formatErrorText, formatLimit, formatRetry, printable, printableOutput } from "../../client/index.ts";
export { formatToolBody, formatToolTitle } from "./descriptor.ts";
export { foldLines } from "./fold.ts";
export {
  formatCache,
  formatChange,
  formatCost,
  formatCount,
  formatOrigin,
  formatTime,
  formatTokens,
  formatUsage,
  formatWrite,
  shortenIds,
} from "./format.ts";
export { formatMcpCall, type McpCallText } from "./mcp-call.ts";
export { MessageFeed, type MessageSink, showHistory, showMessage } from "./message-feed.ts";
export { OutputWriter } from "./output-writer.ts";
export { changesNothing, formatFailedRestore, formatRestore, RESTORE_LIMITS } from "./restore.ts";
export { colorDiffLine, createStyle, type Style } from "./style.ts";
