import { z } from "zod";
import { parseScript, startMock } from "../testing/mock/index.ts";
import { type Commands, command } from "./harness/index.ts";

/** The commands of a mock endpoint. */
export const commands: Commands = {
  start: command(z.object({ script: z.string() }), async ({ script }) => {
    const mock = await startMock(parseScript(script));
    return mock.url;
  }),
};
