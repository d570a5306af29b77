// A task delegates to a subtask. The program observes both.
import { allowSubtasks, anthropic, createHost, memoryJournal } from "signalbox";
import { parseScript, startMock } from "signalbox/testing";

// The model is a script: each task gets its turns by its mode.
const mock = await startMock(
  parseScript(`
rules:
  - when: { user: 'Current mode\\s+ask' }
    turns: [{ tool: attempt_completion, input: { result: There are two. } }]
  - when: { tool: new_task }
    turns: [{ tool: attempt_completion, input: { result: I had them counted. } }]
  - turns: [{ tool: new_task, input: { mode: ask, message: How many moons has Mars? } }]
`),
);
const host = createHost({ journal: () => memoryJournal() });
const seen: string[] = [];
host.opened$.subscribe((task) => {
  seen.push(task.parent === undefined ? "the task" : "its subtask");
  task.events$.subscribe(({ commit }) => {
    if (commit.before === "no_task") console.log(`${seen.at(-1)}, of ${host.stack(task.id).length} at work`);
  });
});

const task = await host.create({
  model: anthropic({ model: "claude-sonnet-4-6", apiKey: "any", baseURL: mock.url }),
  workspace: ".",
  policy: allowSubtasks(),
});
const { result, usage } = await task.run("Count the moons of Mars.");
const family = await task.totalUsage();
console.log(result, family.tokensOut > usage.tokensOut);
await host.closeAll();
await mock.close();
