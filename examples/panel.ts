// A panel: three models answer the same question at the same time, each with a typed result. The parent compares them.
import { allowSubtasks, anthropic, createHost, memoryJournal } from "signalbox";
import { parseScript, startMock } from "signalbox/testing";

/** A model that is a script on a server of its own. */
async function scripted(script: string) {
  const mock = await startMock(parseScript(script));
  return { mock, model: anthropic({ model: "claude-sonnet-4-6", apiKey: "any", baseURL: mock.url }) };
}
const answers = (days: number) => scripted(`[{ tool: attempt_completion, input: { result: { days: ${days} } } }]`);
const member = (profile: string): string =>
  `{ tool: new_task, input: { mode: ask, profile: ${profile}, message: How long is a year on Mars?, result: ${DAYS} } }`;
const DAYS = "{ type: object, properties: { days: { type: integer } }, required: [days] }";

const chair = await scripted(`
rules:
  - { when: { tool: new_task }, turns: [{ tool: attempt_completion, input: { result: Two of three say 687 days. } }] }
  - turns: [[${member("first")}, ${member("second")}, ${member("third")}]]
`);
const panel = { first: await answers(687), second: await answers(365), third: await answers(687) };
const { first, second, third } = panel;
const host = createHost({ journal: () => memoryJournal() });
const task = await host.create({
  models: { default: chair.model, named: { first: first.model, second: second.model, third: third.model } },
  workspace: false,
  permissions: { judge: allowSubtasks() },
});
const { result } = await task.run("Ask the panel how long a year on Mars is.");
for (const { say, text } of task.log) if (say === "subtask_result") console.log(text);
console.log(result);
await host.closeAll();
for (const { mock } of [chair, first, second, third]) await mock.close();
