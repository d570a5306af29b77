import { createHash } from "node:crypto";
import { escapeXml } from "../../visualize/chart/xml.ts";
import type { Counterexample } from "../../visualize/trace/counterexample.ts";
import type { TraceEvent } from "../../visualize/trace/trace-event.ts";
import { builtPageFolder, readBuiltPage } from "./built-page.ts";

/** Options of {@link tracePage}. */
export interface TracePageOptions {
  /** The page's title. */
  readonly title: string;
  /** The event that is shown first. Default, and if the trace is shorter: its end. */
  readonly at?: number;
  /** A text above the debugger. Default: none. */
  readonly notice?: string;
  /** The violation of a law that the trace leads to: shown above the debugger, with what was expected. */
  readonly counterexample?: Counterexample;
  /** The folder of the built page. Default: the page of `@signalbox/debugger`. */
  readonly page?: string;
}

/**
 * The visual debugger and a trace in one HTML file of about 0.9 MB plus the trace. It needs no server and loads nothing.
 *
 * Its Content-Security-Policy allows only the page's own two scripts, and no requests. The trace is data.
 *
 * @example
 * ```ts
 * import { tracePage } from "signalbox/server";
 * import { traceOfJournal } from "signalbox/trace";
 * const events = traceOfJournal([{ seq: 0, kind: "header", version: 2, taskId: "t1", createdAt: 0 }]);
 * const page = await tracePage(events, { title: "My task" });
 * console.log(page.split("\n")[0]); // <!doctype html>
 * ```
 * @throws TracePageError `PAGE_NOT_BUILT` without `@signalbox/debugger`, or if it was not built
 */
export async function tracePage(
  events: Iterable<TraceEvent>,
  { title, at, notice, counterexample, page = builtPageFolder() }: TracePageOptions,
): Promise<string> {
  const built = await readBuiltPage(page);
  const script = built.script.replaceAll(SCRIPT_END, "\\u003c$1");
  const style = `${built.style}${STYLE}`;
  const start = startScript(at, counterexample !== undefined);
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(script)} ${hashOf(start)}`,
    `style-src ${hashOf(style)}`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const noticeHtml = notice === undefined ? "" : `<p class="notice" role="note">${escapeXml(notice)}</p>\n`;
  const counterexampleHtml =
    counterexample === undefined
      ? ""
      : `<script type="application/json" id="counterexample">${jsonOf(counterexample)}</script>\n`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escapeXml(title)}</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
${noticeHtml}<div id="page"></div>
<noscript>The visual debugger needs JavaScript.</noscript>
<script type="application/json" id="trace">${dataOf(events)}</script>
${counterexampleHtml}<script>${script}</script>
<script>${start}</script>
</body>
</html>
`;
}

/** The texts that would end a script element, or keep it open. In our script they occur only in string literals. */
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

/** A value as JSON without `<`, so that no tag can begin in it. */
const jsonOf = (value: unknown): string => JSON.stringify(value).replaceAll("<", "\\u003c");

/** The events as NDJSON. */
const dataOf = (events: Iterable<TraceEvent>): string =>
  Array.from(events, (event) => `${jsonOf(event)}\n`).join("");

const startScript = (at: number | undefined, isCounterexample: boolean): string => `
const textOf = (id) => document.getElementById(id).textContent;
signalbox.mount(document.getElementById("page"), {
  source: signalbox.fileSource(signalbox.parseEvents(textOf("trace"))${
    isCounterexample ? ', { counterexample: JSON.parse(textOf("counterexample")) }' : ""
  }),
  isPage: true,${at === undefined ? "" : `\n  at: ${at},`}
});
`;

const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
