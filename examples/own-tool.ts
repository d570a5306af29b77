// Add a tool and a policy that allows it. Everything else goes to a person.
import { anthropic, askAPerson, builtinTools, createHost, defineTool } from "signalbox";
import { firstOf, memoryJournal, type Policy } from "signalbox";
import { parseScript, startMock } from "signalbox/testing";
import { z } from "zod";

const wordCount = defineTool({
  name: "count_words",
  description: "Counts the words of a text.",
  inputSchema: z.object({ text: z.string().min(1) }),
  effect: "none",
  execute: ({ text }) => `${text.trim().split(/\s+/).length} words`,
});

const allowCounting: Policy = ({ tool }) =>
  tool.name === wordCount.name ? { kind: "allow", rule: "counting" } : { kind: "ask" };

// A script replaces the model, so no key is needed. Without `baseURL` and `apiKey` the model is live.
const mock = await startMock(
  parseScript(`
  - { tool: count_words, input: { text: "a signal box works points and signals" } }
  - { tool: attempt_completion, input: { result: The text has 7 words. } }`),
);
const host = createHost({ journal: () => memoryJournal() });
const task = await host.create({
  model: anthropic({ model: "claude-sonnet-4-6", baseURL: mock.url, apiKey: "any" }),
  tools: [...builtinTools(), wordCount],
  permissions: { judge: firstOf(allowCounting, askAPerson()) },
  workspace: ".",
});
task.state$.subscribe(({ state }) => console.log(state));
const { result } = await task.run("How many words does the text have?");
console.log(result);
await host.closeAll();
await mock.close();
