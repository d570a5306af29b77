import { z } from "zod";
import { parseScript } from "../testing/mock/script/script-parser.ts";
import { startMock } from "../testing/mock/server/server.ts";
import { type Commands, command } from "./harness/index.ts";

/** The commands of a mock endpoint. */
export const commands: Commands = {
  start: command(z.object({ script: z.string() }), async ({ script }) => {
    const mock = await startMock(parseScript(script));
    return mock.url;
  }),
};
