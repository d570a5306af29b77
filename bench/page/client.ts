import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import type { ChatModel, ModelEvent } from "../../ports/model.ts";
import { createHost } from "../../runtime/host.ts";
import type { Task } from "../../runtime/task/task.ts";
import { openHistory } from "../../runtime/task-history/task-history.ts";
import { createServer, fileJournals } from "../../server/index.ts";
import { scriptedModel, scriptedToolCall } from "../../testing/scripted-model.ts";
import { type Commands, command, createFolders, stopwatch } from "../harness/index.ts";

/** The result of the response with this number of words: a page that shows it shows the end. */
export const streamedResult = (words: number): string => `Streamed: ${words}.`;

/** Streams one word in its first response, and one each millisecond in the next. A late word does not delay others. */
function streamingModel(words: number): ChatModel {
  let times = 0;
  return {
    id: "streaming",
    async *stream(request, signal): AsyncGenerator<ModelEvent> {
      const began = performance.now();
      const length = times === 0 ? 1 : words;
      times += 1;
      for (let word = 0; word < length; word += 1) {
        while (performance.now() - began < word) await wait(1);
        yield { type: "text.delta", text: word % 12 === 11 ? `word ${word}.\n\n` : `word ${word} ` };
        await new Promise((resolve) => setImmediate(resolve));
      }
      yield { type: "block.end" };
      const result = streamedResult(length);
      const end = scriptedModel(() => scriptedToolCall("attempt_completion", { result }, "toolu_1"));
      yield* end.stream(request, signal);
    },
  };
}

let task: Task | undefined;
let grown = 0;

export const commands: Commands = {
  /** Serve a streaming task and its page. */
  serve: command(
    z.object({ folder: z.string(), words: z.number(), page: z.string() }),
    async ({ folder, words, page }) => {
      const { workspace, dataDir } = await createFolders(folder);
      const host = createHost({ dataDir });
      const model = streamingModel(words);
      const server = await createServer({
        host,
        history: openHistory({ dataDir }),
        journal: fileJournals(dataDir),
        task: { model },
        workspace,
        page,
      });
      task = await host.create({ model, workspace, llm: { frameMs: 0, answerMaxChars: 1e9 } });
      task.events$.subscribe(({ commit }) => {
        if (commit.log.some(({ type }) => type === "message.grown")) grown += 1;
      });
      await task.run("One word.");
      grown = 0;
      return { pageUrl: `${server.pageUrl}&task=${task.id}` };
    },
  ),
  run: command(z.object({}), async () => {
    const usage = stopwatch();
    await task?.run("Go.");
    await task?.flushed();
    return { ...usage(), events: grown };
  }),
};
