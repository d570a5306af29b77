import assert from "node:assert/strict";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { anthropic } from "../../adapters/index.ts";
import { openWakes, type PostgresWakes } from "../../cluster/wakes/wakes.ts";
import { createWorker } from "../../cluster/worker/worker.ts";
import { isAtRest } from "../../machines/message/states.ts";
import { createHost } from "../../runtime/host.ts";
import { createServer, type Server } from "../../server/index.ts";
import { allowEverything } from "../../tools/index.ts";
import { type TaskInfo, taskInfoSchema } from "../../wire/http/api.ts";
import { PostgresRig } from "../store/postgres/rig.ts";
import { type Driven, INTERFACES } from "./interfaces.ts";
import { KEY, MODEL, ROOT, recordedIn, Scenario, SUBTASKS, type Work } from "./scenario.ts";

const WORKS = Object.keys(SUBTASKS) as Work[];
const ACTS: Readonly<Record<string, (driven: Driven) => Promise<void>>> = {
  "a cancel of the task": (driven) => driven.cancel(),
  "a cancel of the subtask": async (driven) => driven.cancelSubtask?.(),
  "a cancel, then a continuation": async (driven) => {
    await driven.cancel();
    await driven.resume("Go on");
  },
};

let rig: PostgresRig;
let wakes: PostgresWakes;
beforeAll(async () => {
  rig = await PostgresRig.start();
  wakes = await openWakes({ url: rig.cluster.url(), store: await rig.store(), onError: console.error });
});
afterAll(async () => {
  await wakes.close();
  await rig.remove();
});

/** The records of one process with files, from the cancel on. */
async function inOneProcess(work: Work, act: (driven: Driven) => Promise<void>) {
  await using scenario = await Scenario.open(work);
  const driven = await INTERFACES.Task?.(scenario);
  assert.ok(driven);
  await act(driven);
  await driven.close();
  return await scenario.recorded("task.cancel");
}

/** The records in the database, where a worker runs the task and a client acts through a server. */
async function throughServer(work: Work, act: (driven: Driven) => Promise<void>) {
  await using scenario = await Scenario.open(work);
  await rig.clear();
  const task = {
    model: anthropic({ model: MODEL, apiKey: KEY, baseURL: scenario.mock.url }),
    permissions: { judge: allowEverything() },
  };
  const [own, shared] = await Promise.all([rig.store(), rig.store()]);
  const { workspace } = scenario;
  const serving = { task, workspace, page: workspace };
  const worker = await createWorker({
    store: own,
    wakes,
    task,
    workspace,
    host: { dataDir: scenario.dataDir },
    onError: console.error,
    async serve(host) {
      const server = await createServer({ ...serving, host, history: own.history, journal: own.journal });
      return { address: { url: server.url, token: server.token }, close: () => server.close() };
    },
  });
  const server = await createServer({
    ...serving,
    host: createHost({ journal: shared.journal }),
    history: shared.history,
    journal: shared.journal,
    workers: { ...shared, wakes },
  });
  try {
    await act(await driven(server, work));
  } finally {
    await server.close();
    await worker.drain();
    // The next task has the same id.
    await rig.admin.query("DELETE FROM signalbox_wakes.job");
  }
  const records = (id: string) => recordedIn(shared.journal(id), "task.cancel");
  return { root: await records(ROOT), subtask: await records(`${ROOT}.1`) };
}

/** A task of a server, whose subtask works. */
async function driven(server: Server, work: Work): Promise<Driven> {
  const headers = { authorization: `Bearer ${server.token}`, "content-type": "application/json" };
  const request = async (where: string, body?: object): Promise<Response> => {
    const post = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const response = await fetch(`${server.url}${where}`, { headers, ...post });
    assert.ok(response.ok, `${where}: ${response.status}`);
    return response;
  };
  const info = async (id: string): Promise<TaskInfo> =>
    taskInfoSchema.parse(await (await request(`/api/tasks/${id}`)).json());
  const rests = (...ids: readonly string[]): Promise<void> =>
    expect
      .poll(async () => (await Promise.all(ids.map(info))).every(({ state }) => isAtRest(state)))
      .toBe(true);
  await request("/api/tasks", { id: ROOT, prompt: "Go" });
  await shows(await request(`/api/tasks/${ROOT}/events?subtasks=true`), SUBTASKS[work].shown);
  return {
    async cancel() {
      await request(`/api/tasks/${ROOT}/cancel`, {});
      await rests(ROOT, `${ROOT}.1`);
    },
    async cancelSubtask() {
      await request(`/api/tasks/${ROOT}.1/cancel`, {});
      await rests(`${ROOT}.1`, ROOT);
    },
    async resume(text) {
      await request(`/api/tasks/${ROOT}/words`, { text });
      await rests(ROOT);
    },
    close: async () => {},
  };
}

async function shows(response: Response, text: string): Promise<void> {
  let received = "";
  for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    received += part;
    if (received.includes(text)) return;
  }
  throw new Error(`The stream ended without ${text}.`);
}

describe.each(WORKS)("while a subtask %s", (work) => {
  test.each(Object.entries(ACTS))(
    "%s has the same record by a server and a worker as in one process (L1)",
    async (_, act) => {
      expect(await throughServer(work, act)).toEqual(await inOneProcess(work, act));
    },
  );
});
