import { openHistory } from "../../client/index.ts";
import type { Io } from "../io.ts";
import { inWords } from "./history-error.ts";
import { type ServeFlags, serve } from "./serve.ts";

/**
 * Opens the visual debugger over the tasks of a data folder, at the one that is meant by `given`. Looking needs no key:
 * without one, tasks that go on from the page talk to the mock model.
 *
 * @throws CliError where no task is meant, and as {@link serve} does
 */
export async function inspect(given: string | undefined, flags: ServeFlags, io: Io): Promise<number> {
  const history = openHistory({ dataDir: flags.dataDir });
  const shown = given === undefined ? undefined : await inWords(() => history.find(given));
  const hasKey = Boolean(flags.apiKey || io.env.ANTHROPIC_API_KEY || io.env.ANTHROPIC_AUTH_TOKEN);
  return serve({ ...flags, provider: hasKey ? flags.provider : "mock" }, io, shown);
}
