import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { z } from "zod";
import { type Commands, command } from "../harness/index.ts";
import { Soak } from "./soak.ts";
import { Subscribed } from "./subscribed.ts";

let soak: Soak | undefined;
let subscribed: Subscribed | undefined;
let responses: readonly IncomingMessage[] = [];

/** Subscribe to a task's events, and read nothing. */
async function subscribe(url: string, token: string): Promise<IncomingMessage> {
  const request = get(url, { headers: { authorization: `Bearer ${token}` }, agent: false });
  const [response]: IncomingMessage[] = await once(request, "response");
  if (response?.statusCode !== 200) throw new Error(`${response?.statusCode} of ${url}`);
  return response;
}

/** Read what was sent, to the end of the stream. Returns whether the reader fell behind. */
async function isBehind(response: IncomingMessage): Promise<boolean> {
  let last = "";
  for await (const chunk of response) last = (last + chunk).slice(-1_000);
  return last.includes('"reason":"behind"');
}

export const commands: Commands = {
  /** Start tasks that stream. Resolves when all have started. */
  start: command(
    z.object({ url: z.string(), folder: z.string(), tasks: z.number(), rampMs: z.number() }),
    async (options) => {
      soak = await Soak.start(options);
    },
  ),
  hold: command(z.object({ ms: z.number() }), async ({ ms }) => soak?.hold(ms)),
  stop: command(z.object({}), async () => soak?.stop()),

  /** Open tasks that can be subscribed to, beside those that stream. */
  open: command(z.object({ folder: z.string(), tasks: z.number(), deltas: z.number() }), async (options) => {
    subscribed = await Subscribed.open(options);
    const { server, ids } = subscribed;
    return { url: server.url, token: server.token, ids };
  }),
  stream: command(z.object({}), async () => subscribed?.stream()),
  close: command(z.object({}), async () => subscribed?.close()),

  /** Subscribe to each of these tasks, and read nothing. */
  subscribe: command(
    z.object({ url: z.string(), token: z.string(), ids: z.array(z.string()) }),
    async ({ url, token, ids }) => {
      responses = await Promise.all(ids.map((id) => subscribe(`${url}/api/tasks/${id}/events`, token)));
    },
  ),
  /** Read all that the subscribers were sent. Returns how many of them fell behind. */
  read: command(
    z.object({}),
    async () => (await Promise.all(responses.map(isBehind))).filter(Boolean).length,
  ),
};
