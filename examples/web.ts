// A chat in a browser: `npx tsx examples/web.ts`, then open the printed address. The model is a script.
import { copyFile, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { build } from "esbuild";
import { anthropic, createHost, openHistory } from "signalbox";
import { createServer, fileJournals } from "signalbox/server";
import { parseScript, startMock } from "signalbox/testing";

const mock = await startMock(
  parseScript(`
- [{ text: I write it. }, { tool: write_to_file, input: { path: hello.txt, content: "Hello\\n" } }]
- { tool: ask_followup_question, input: { question: What else?, follow_up: [{ text: Nothing }] } }
- { tool: attempt_completion, input: { result: All done. } }`),
);
const base = await mkdtemp(path.join(tmpdir(), "signalbox-web-"));
const sources = new URL("web/", import.meta.url).pathname;
await build({
  entryPoints: [path.join(sources, "chat.tsx")],
  bundle: true,
  outdir: base,
  jsx: "automatic",
  format: "esm",
});
await copyFile(path.join(sources, "index.html"), path.join(base, "index.html"));

const dataDir = path.join(base, "data");
const server = await createServer({
  host: createHost({ dataDir }),
  history: openHistory({ dataDir }),
  journal: fileJournals(dataDir),
  task: { model: anthropic({ model: "claude-sonnet-4-6", apiKey: "any", baseURL: mock.url }) },
  workspace: base,
  page: base,
});
console.log(server.pageUrl);
