import { firstValueFrom } from "rxjs";
import { anthropic } from "../../../adapters/index.ts";
import { parseScript } from "../../../testing/mock/script/script-parser.ts";
import { startMock } from "../../../testing/mock/server/server.ts";
import { Served, type ServedOptions } from "../../server/support.ts";
import { pacedClock } from "./paced-clock.ts";

const SCRIPT = `
rules:
  - when: { conversation: "Count the lines" }
    turns:
      - tool: attempt_completion
        input: { result: "There are 1,204 lines in 31 files." }
  - when: { conversation: "Translate the guide" }
    turns:
      - status: 401
        body: { type: error, error: { type: authentication_error, message: invalid x-api-key } }
        times: 9
turns:
  - - text: "I write **a.txt**, see [the docs](https://docs.example/a)."
    - { tool: write_to_file, input: { path: a.txt, content: "hi\\n" } }
  - { tool: attempt_completion, input: { result: All done. } }
`;

/** The tasks, each with the time in milliseconds from its creation to the picture. */
const TASKS = [
  { prompt: "Translate the guide into French", agoMs: 5_400_000 },
  { prompt: "Count the lines of the sources", agoMs: 1_800_000 },
  { prompt: "Write a.txt", agoMs: 95_000 },
] as const;

export interface ServedTasks extends AsyncDisposable {
  /** The server's page with its token. */
  readonly pageUrl: string;
  /** The server's page without a token. */
  readonly url: string;
  /** The id of the task that waits for an approval. */
  readonly waiting: string;
}

/** Serve tasks that end or wait before `time`, in ms since 1970: a failed, a complete and a waiting one. */
export async function openServedTasks(time: number, options: Partial<ServedOptions>): Promise<ServedTasks> {
  const mock = await startMock(parseScript(SCRIPT));
  const clock = pacedClock(time);
  let count = 0;
  const served = await Served.open({
    ...options,
    ...{ clock, newId: () => `c0ffee0${++count}-task` },
    model: clock.paced(anthropic({ model: "claude-sonnet-4-5", apiKey: "mock", baseURL: mock.url })),
  });
  let waiting = "";
  for (const { prompt, agoMs } of TASKS) {
    clock.advance(time - agoMs - clock.now());
    const { id } = await served.create(prompt);
    const task = served.host.tasks.get(id);
    if (task === undefined) throw new Error(`Expected the host to have the task ${id}.`);
    await firstValueFrom(task.asks$);
    waiting = id;
  }
  const { url, pageUrl } = served.server;
  return {
    ...{ url, pageUrl, waiting },
    async [Symbol.asyncDispose]() {
      await served[Symbol.asyncDispose]();
      await mock.close();
    },
  };
}
