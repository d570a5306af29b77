import type { TraceEvent } from "../../visualize/trace/index.ts";
import { Tracer } from "../../visualize/trace/tracer.ts";
import { parseRecord } from "../../wire/journal/parse-record.ts";

/** The mark that an executed payload leaves. */
const RUN = "window.executed=1";

/** Payloads of a model, a tool or a file. */
export const PAYLOADS: readonly string[] = [
  `<img src=x onerror="${RUN}">`,
  `<script>${RUN}</script>`,
  `</script><script>${RUN}</script>`,
  `"><svg/onload=${RUN}>`,
  `' autofocus onfocus='${RUN}' onmouseover='${RUN}`,
  `[link](javascript:${RUN}) and <javascript:${RUN}> and [data](data:text/html,<script>${RUN}</script>)`,
  `<a href="javascript:${RUN}">link</a><iframe srcdoc="<script>parent.executed=1</script>"></iframe>`,
  "![pixel](https://elsewhere.example/pixel.png) <img src=https://elsewhere.example/pixel.png>",
  "<style>@import url(https://elsewhere.example/a.css);*{display:none}</style><link rel=stylesheet href=//elsewhere.example/b.css>",
  '<meta http-equiv="refresh" content="0;url=https://elsewhere.example/"><base href=//elsewhere.example/><form action=//elsewhere.example><button>Send</button></form>',
  `]]><![CDATA[<script>${RUN}</script>]]> <!-- --!><script>${RUN}</script>`,
  `\`\`\`html onload=${RUN}\n<object data="javascript:${RUN}"></object>\n\`\`\``,
  `{{constructor.constructor('${RUN}')()}} \${${RUN}} __proto__ constructor`,
  "rm -rf \u202e/ ohce\u202c \u2066hidden\u2069 \u200b\ufeff \u001b[2J\u001b]8;;https://elsewhere.example\u0007click\u0000\u009b31m",
];

const ALL = PAYLOADS.join("\n\n");
/** An endless word, and one line of a million characters. */
const HUGE = "x".repeat(200_000);

/** The fields with texts of people, models and tools. */
const WORDS = new Set([
  ...["text", "title", "workspace", "mode", "model", "name", "message", "code", "rule", "reason", "prompt"],
  ...["path", "command", "diff", "content", "result", "question", "answer", "thinking", "signature", "regex"],
]);

/** A value with the payloads after each of its texts. JSON within a text stays JSON. */
function spoiled(value: unknown, key = ""): unknown {
  if (typeof value === "string") return WORDS.has(key) ? spoiledText(value) : value;
  if (Array.isArray(value)) return value.map((item) => spoiled(item, key));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, spoiled(item, name)]));
}

function spoiledText(text: string): string {
  if (!text.startsWith("{")) return `${text} ${ALL}`;
  const inner: unknown = JSON.parse(text);
  return JSON.stringify(spoiled(inner));
}

/** The same task with the payloads in all texts, also in names of states, types and tasks. */
export function hostile(events: readonly TraceEvent[]): readonly TraceEvent[] {
  const taskId = `task ${PAYLOADS[0]}`;
  const tracer = new Tracer(taskId);
  return events.map(({ record }) => {
    const parsed = parseRecord(
      spoiled(record.kind === "header" ? { ...record, taskId, title: "A task" } : record),
    );
    if (!parsed.success) throw new Error(`A spoiled record is none any more: ${parsed.problem}`);
    return withNames(tracer.add(parsed.data));
  });
}

/** Free names, and one endless word. */
function withNames(event: TraceEvent): TraceEvent {
  const { record, seq } = event;
  if (record.kind !== "commit") return event;
  const payload = PAYLOADS[seq % PAYLOADS.length] ?? "";
  const cause = record.cause === undefined ? {} : { cause: { ...record.cause, note: ALL, endless: HUGE } };
  const names =
    seq % 5 === 3 ? { before: `${record.before}.${payload}`, after: `constructor.${payload}` } : {};
  return { ...event, from: `${event.from} ${payload}`, record: { ...record, ...cause, ...names } };
}

/** A script of the mock model with hostile texts. */
export const HOSTILE_SCRIPT = JSON.stringify({
  turns: [
    {
      blocks: [
        { thinking: ALL },
        { text: ALL },
        { tool: "execute_command", input: { command: `echo '${PAYLOADS[0]}'` } },
      ],
    },
    {
      tool: "ask_followup_question",
      input: { question: ALL, follow_up: PAYLOADS.slice(0, 4).map((text) => ({ text })) },
    },
    { tool: "attempt_completion", input: { result: ALL } },
  ],
});
