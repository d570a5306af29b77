// The engine loads the SDK for the first request. Here that is an import, as it is for the other peers.
import "@anthropic-ai/sdk";
import { filter, firstValueFrom } from "rxjs";
import { anthropic } from "../../../adapters/index.ts";
import { createHost, type Host } from "../../../runtime/host.ts";
import type { Task } from "../../../runtime/task/task.ts";
import { memoryJournal } from "../../../store/index.ts";
import { allowEverything, askAPerson, builtinTools, defineTool, type Tool } from "../../../tools/index.ts";
import { createFolders } from "../../harness/index.ts";
import { type Agents, API_KEY, INSTRUCTIONS, MODEL, type PeerRun } from "../peer.ts";

export { createHost, memoryJournal };

/** Agents of a host that is created for each run. */
export function agentsOf(hostIn: (dataDir: string) => Host): Agents {
  return {
    async run(run) {
      const { workspace, dataDir } = await createFolders(run.folder);
      const host = hostIn(dataDir);
      const task = await host.create({
        ...optionsOf(run),
        workspace,
        permissions: { judge: allowEverything() },
      });
      publish(task, run.onText);
      run.signal.addEventListener("abort", () => task.cancel());
      const { state, ask, result } = await task.run(run.prompt);
      const text = [...task.log].findLast(({ say }) => say === "text")?.text ?? "";
      const reason = task.log.at(-1)?.text ?? "";
      // The run has ended, and a cancelled tool that ignores its signal may still work: closing would wait for it.
      if (result === undefined) throw new Error(`The task is ${state} on ${ask}: ${reason}`);
      await host.closeAll();
      return text;
    },
    async waiting(run) {
      const { workspace, dataDir } = await createFolders(run.folder);
      const host = hostIn(dataDir);
      return async () => {
        const task = await host.create({
          ...optionsOf(run),
          workspace,
          permissions: { judge: askAPerson() },
        });
        const asked = firstValueFrom(task.asks$.pipe(filter(({ kind }) => kind === "tool")));
        task.run(run.prompt).catch(() => undefined);
        await asked;
        return task;
      };
    },
  };
}

function optionsOf(run: PeerRun) {
  return {
    model: anthropic({ model: MODEL, apiKey: API_KEY, baseURL: run.url }),
    tools: [...run.tools.map(toTool), ...builtinTools().filter(({ name }) => name === "attempt_completion")],
    instructions: [INSTRUCTIONS],
    limits: { requests: run.requestsMax },
  };
}

const toTool = ({ name, description, input, run }: PeerRun["tools"][number]): Tool =>
  defineTool({ name, description, inputSchema: input, effect: "writes", execute: run });

/** Forward each delta of text, as a client receives it. */
function publish(task: Task, onText: (delta: string) => void): void {
  const texts = new Set<number>();
  task.events$.subscribe(({ commit }) => {
    for (const event of commit.log) {
      if (event.type === "message.grown" && texts.has(event.ts)) onText(event.text);
      if (event.type !== "message.appended" || event.message.say !== "text") continue;
      texts.add(event.message.ts);
      onText(event.message.partial === true ? (event.message.text ?? "") : "");
    }
  });
}
