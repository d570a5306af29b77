import { createHash } from "node:crypto";
import type { TraceEvent } from "../../trace/index.ts";
import { escaped } from "../xml.ts";
import { BUILT_PAGE, readBuiltPage } from "./built-page.ts";

export interface TracePageOptions {
  /** The page's title. Any text. */
  readonly title: string;
  /** The place that is shown first. Default, and where the trace is shorter: its end. */
  readonly at?: number;
  /** What is said above the debugger. Any text. Default: nothing. */
  readonly notice?: string;
  /** The folder of the built page. Default: the package's own. */
  readonly page?: string;
}

/**
 * The visual debugger and a trace in one HTML file: it needs no server, loads nothing, and can be mailed. Its policy
 * lets nothing run but the two scripts that are written here, and lets nothing be asked for. What the trace says is data.
 *
 * The page takes some 2.4 MB beside the trace.
 *
 * @example
 * ```ts
 * import { tracePage } from "signalbox/visualize";
 * import { traceOfJournal } from "signalbox/trace";
 * const events = traceOfJournal([{ seq: 0, kind: "header", version: 2, taskId: "t1", createdAt: 0 }]);
 * const page = await tracePage(events, { title: "My task" });
 * console.log(page.split("\n")[0]); // <!doctype html>
 * ```
 * @throws TracePageError `PAGE_NOT_BUILT` where the package was not built
 */
export async function tracePage(
  events: Iterable<TraceEvent>,
  { title, at, notice, page = BUILT_PAGE }: TracePageOptions,
): Promise<string> {
  const built = await readBuiltPage(page);
  const script = built.script.replaceAll(SCRIPT_END, "\\u003c$1");
  const style = `${built.style}${STYLE}`;
  const begin = beginAt(at);
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(script)} ${hashOf(begin)}`,
    `style-src ${hashOf(style)}`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const said = notice === undefined ? "" : `<p class="notice" role="note">${escaped(notice)}</p>\n`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escaped(title)}</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
${said}<div id="page"></div>
<noscript>The visual debugger needs JavaScript.</noscript>
<script type="application/json" id="trace">${dataOf(events)}</script>
<script>${script}</script>
<script>${begin}</script>
</body>
</html>
`;
}

/** The start of what ends a script, or makes its end no end: in a script of ours it stands in texts only. */
const SCRIPT_END = /<(!--|\/?script)/gi;

const STYLE = `
body { display: flex; flex-direction: column; color-scheme: light dark; }
body > #page { flex: 1; min-height: 0; }
.notice {
  margin: 0;
  padding: 0.5rem 1rem;
  max-height: 20vh;
  overflow: auto;
  font: 600 0.9rem/1.4 system-ui, sans-serif;
  color: light-dark(#8a1c13, #ffb4ab);
  background: light-dark(#fde8e6, #3a1512);
  white-space: pre-wrap;
}
`;

/** The events as lines of JSON, in which no tag can begin. */
const dataOf = (events: Iterable<TraceEvent>): string =>
  Array.from(events, (event) => `${JSON.stringify(event).replaceAll("<", "\\u003c")}\n`).join("");

const beginAt = (at: number | undefined): string => `
const trace = document.getElementById("trace").textContent;
signalbox.mount(document.getElementById("page"), {
  source: signalbox.fileSource(signalbox.eventsIn(trace)),
  isPage: true,${at === undefined ? "" : `\n  at: ${at},`}
});
`;

const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
