import type { Verification } from "../../wire/http/verification.ts";
import { escapeXml } from "../chart/xml.ts";
import type { Counterexample } from "../trace/counterexample.ts";
import type { TraceEvent } from "../trace/trace-event.ts";
import { maskSecrets } from "../trace/transcripts/mask-secrets.ts";
import type { BuiltPage } from "./built-page.ts";
import { maskedCounterexample, maskedTrace, maskedVerification } from "./masked-trace.ts";

/** Options of a page in one file. */
export interface OneFileOptions {
  /** The page's title. */
  readonly title: string;
  /** The event that is shown first. Default, and if the trace is shorter: its end. */
  readonly at?: number;
  /** A text above the debugger. Default: none. */
  readonly notice?: string;
  /** The violation of a law that the trace leads to: shown above the debugger, with what was expected. */
  readonly counterexample?: Counterexample;
  /** The result of a verification: the page opens at it. Default: none. */
  readonly verification?: Verification;
  /** Whether secrets that are known by their form, or by the name before them, are replaced by `[masked]`. Default false. */
  readonly masksSecrets?: boolean;
}

/** A page in one file. */
export interface OneFilePage {
  readonly html: string;
  /** The number of places of the trace that were masked. */
  readonly maskedPlaces: number;
}

/**
 * The visual debugger and a trace as one HTML file, which loads nothing. `events` may belong to several tasks: the page
 * opens the task of the first event.
 */
export async function oneFilePage(
  events: Iterable<TraceEvent>,
  built: BuiltPage,
  { masksSecrets = false, ...options }: OneFileOptions,
): Promise<OneFilePage> {
  if (!masksSecrets) return { html: await htmlOf(events, built, options), maskedPlaces: 0 };
  const { events: masked, places } = maskedTrace(events);
  const { title, notice, counterexample, verification } = options;
  const html = await htmlOf(masked, built, {
    ...options,
    title: maskSecrets(title),
    ...(notice !== undefined && { notice: maskSecrets(notice) }),
    ...(counterexample !== undefined && { counterexample: maskedCounterexample(counterexample) }),
    ...(verification !== undefined && { verification: maskedVerification(verification) }),
  });
  return { html, maskedPlaces: places };
}

async function htmlOf(
  events: Iterable<TraceEvent>,
  built: BuiltPage,
  { title, at, notice, counterexample, verification }: OneFileOptions,
): Promise<string> {
  const list = [...events];
  const scripts = built.scripts.map((script) => script.replaceAll(SCRIPT_END, "\\u003c$1"));
  const parts = { ...(counterexample && { counterexample }), ...(verification && { verification }) };
  scripts.push(startScript({ task: list[0]?.taskId, at, parts: Object.keys(parts) }));
  const style = `${built.style}${STYLE}`;
  const policy = [
    "default-src 'none'",
    `script-src ${(await Promise.all(scripts.map(hashOf))).join(" ")}`,
    `style-src ${await hashOf(style)}`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const noticeHtml = notice === undefined ? "" : `<p class="notice" role="note">${escapeXml(notice)}</p>\n`;
  const partsHtml = Object.entries(parts).map(
    ([id, part]) => `<script type="application/json" id="${id}">${jsonOf(part)}</script>\n`,
  );
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
<script type="application/json" id="trace">${dataOf(list)}</script>
${partsHtml.join("")}${scripts.map((script) => `<script>${script}</script>\n`).join("")}</body>
</html>
`;
}

/** The texts that would end a script element, or keep it open. In our script they occur only in string literals. */
const SCRIPT_END = /<(!--|\/?script)/gi;

const STYLE = `
html, body { height: 100%; margin: 0; overflow: hidden; }
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

/** The events as NDJSON. Without events: an empty list. */
const dataOf = (events: Iterable<TraceEvent>): string =>
  Array.from(events, (event) => `${jsonOf(event)}\n`).join("") || "[]";

interface Start {
  /** The task that is shown first. Undefined: there are no events. */
  readonly task: string | undefined;
  readonly at: number | undefined;
  /** The ids of the elements whose data the source has beside the trace. */
  readonly parts: readonly string[];
}

/** The script that mounts the page. */
function startScript({ task, at, parts }: Start): string {
  const options = parts.map((part) => `${part}: JSON.parse(textOf("${part}"))`).join(", ");
  const view = parts.includes("verification") ? '\n  view: "verification",' : "";
  return `
const textOf = (id) => document.getElementById(id).textContent;
signalbox.mount(document.getElementById("page"), {
  source: signalbox.fileSource(signalbox.parseEvents(textOf("trace"))${options && `, { ${options} }`}),
  isPage: true,${task === undefined ? "" : `\n  task: ${jsonOf(task)},`}${view}${at === undefined ? "" : `\n  at: ${at},`}
});
`;
}

async function hashOf(text: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return `'sha256-${btoa(String.fromCharCode(...new Uint8Array(hash)))}'`;
}
