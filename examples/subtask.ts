// A task delegates to a subtask, which asks. The program observes both, and answers at the root.
import { allowSubtasks, anthropic, createHost, memoryJournal } from "signalbox";
import { parseScript, startMock } from "signalbox/testing";

// The model is a script: each task gets its turns by its mode.
const mock = await startMock(
  parseScript(`
rules:
  - when: { conversation: 'Current mode\\s+ask', tool: ask_followup_question }
    turns: [{ tool: attempt_completion, input: { result: There are two. } }]
  - when: { conversation: 'Current mode\\s+ask' }
    turns: [{ tool: ask_followup_question, input: { question: For which planet?, follow_up: [{ text: Mars }] } }]
  - when: { tool: new_task }
    turns: [{ tool: attempt_completion, input: { result: I had them counted. } }]
  - turns: [{ tool: new_task, input: { mode: ask, message: How many moons are there? } }]
`),
);
const host = createHost({ journal: () => memoryJournal() });
host.opened$.subscribe((task) => console.log(task.parent === undefined ? "the task" : "its subtask"));
const task = await host.create({
  id: "moons",
  model: anthropic({ model: "claude-sonnet-4-6", apiKey: "any", baseURL: mock.url }),
  workspace: ".",
  permissions: { judge: allowSubtasks() },
});
task.treeAsks$.subscribe(({ path, ask }) => {
  console.log(path.join(" > "), ask.kind);
  if (ask.kind === "question") ask.answer("Mars");
});
const { result, usage } = await task.run("Count the moons of Mars.");
const total = await task.totalUsage();
console.log(result, total.tokensOut > usage.tokensOut);
await host.closeAll();
await mock.close();
