// An orchestrator starts three workers in one response. They work at the same time, and each asks before it writes its file.
import { mkdtemp, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { allowSubtasks, anthropic, createHost, memoryJournal } from "signalbox";
import { parseScript, startMock } from "signalbox/testing";

// The model is a script: it knows the workers by their prompts.
const mock = await startMock(
  parseScript(`
rules:
  - when: { conversation: 'Write .*md', tool: write_to_file }
    turns: [{ tool: attempt_completion, input: { result: Written. } }]
  - { when: { conversation: 'Write one.md' }, turns: [{ tool: write_to_file, input: { path: one.md, content: "1" } }] }
  - { when: { conversation: 'Write two.md' }, turns: [{ tool: write_to_file, input: { path: two.md, content: "2" } }] }
  - { when: { conversation: 'Write three.md' }, turns: [{ tool: write_to_file, input: { path: three.md, content: "3" } }] }
  - { when: { tool: new_task }, turns: [{ tool: attempt_completion, input: { result: All three are written. } }] }
  - turns:
      - - { tool: new_task, input: { mode: code, name: One, message: Write one.md. } }
        - { tool: new_task, input: { mode: code, name: Two, message: Write two.md. } }
        - { tool: new_task, input: { mode: code, name: Three, message: Write three.md. } }
`),
);
const workspace = await mkdtemp(path.join(tmpdir(), "workers-"));
const host = createHost({ journal: () => memoryJournal() });
const model = anthropic({ model: "claude-sonnet-4-6", apiKey: "any", baseURL: mock.url });
const task = await host.create({ model, workspace, permissions: { judge: allowSubtasks() } });
task.treeAsks$.subscribe(({ path: [, worker], ask }) => {
  console.log(worker === undefined ? "the orchestrator" : host.tasks.get(worker)?.title, "asks:", ask.kind);
  if (ask.kind === "tool") ask.approve();
});
console.log((await task.run("Write three files.")).result, await readdir(workspace));
await host.closeAll();
await mock.close();
