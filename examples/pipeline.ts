// A pipeline: each subtask gets the result of the one before. The program chains tasks, and a budget bounds each of them.
import { anthropic, createHost, memoryJournal } from "signalbox";
import { parseScript, startMock } from "signalbox/testing";

// The model is a script: it knows the stages by their prompts.
const mock = await startMock(
  parseScript(`
rules:
  - { when: { user: 'Find' }, turns: [{ tool: attempt_completion, input: { result: Phobos and Deimos } }] }
  - { when: { user: 'Describe Phobos and Deimos' }, turns: [{ tool: attempt_completion, input: { result: Both are small and dark. } }] }
  - { when: { user: 'Shorten .*dark' }, turns: [{ tool: attempt_completion, input: { result: Small and dark. } }] }
`),
);
const host = createHost({ journal: () => memoryJournal() });
const model = anthropic({ model: "claude-sonnet-4-6", apiKey: "any", baseURL: mock.url });

/** The result of a task of its own, which is closed then. */
async function stage(prompt: string): Promise<string> {
  const task = await host.create({ model, workspace: false, completion: "tool", budget: { requests: 5 } });
  const { state, result } = await task.run(prompt);
  await task.close();
  if (result === undefined) throw new Error(`The stage "${prompt}" rests in ${state} without a result.`);
  console.log(`${prompt} -> ${result}`);
  return result;
}

const moons = await stage("Find the moons of Mars.");
const description = await stage(`Describe ${moons}.`);
await stage(`Shorten this text: ${description}`);
await host.closeAll();
await mock.close();
