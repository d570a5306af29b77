import type { MockRequest } from "../../testing/mock/server/record.ts";
import { startMock } from "../../testing/mock/server/server.ts";
import { port as portNumber } from "../arguments.ts";
import { CliError, errorMessage } from "../error.ts";
import type { Io } from "../io.ts";
import { Exit, listenToSignals } from "../run/exit.ts";
import { readScript } from "../run/mock-provider.ts";
import type { Define } from "./command.ts";

interface MockFlags {
  readonly script?: string;
  readonly port: number;
}

export const define: Define = (command, { io, end }) => {
  command
    .option("--script <file>", "the script, in JSON or YAML (default: a built-in one)")
    .option("--port <n>", "port to listen on; 0 picks a free one", portNumber, 8484)
    .action(async (flags: MockFlags) => end(await mock(flags, io)));
};

/** Serve a script until a signal. */
export async function mock({ script, port }: MockFlags, io: Io): Promise<number> {
  const parsed = readScript(script);
  const server = await startMock(parsed, {
    port,
    onRequest: (request) => io.stderr.write(`${formatRequest(request)}\n`),
  }).catch((error: unknown) => {
    throw new CliError(
      `can't listen on port ${port}: ${errorMessage(error)}. Use another --port, or 0 for a free one.`,
      { cause: error },
    );
  });
  const exit = new Exit();
  const unlisten = listenToSignals(io, exit);
  io.stdout.write(
    `Listening on ${server.url}\nTry: signalbox run --base-url ${server.url} --api-key any "PROMPT"\n`,
  );
  const code = await exit.code;
  await server.close();
  unlisten();
  return code;
}

function formatRequest({ method, path, status, turn, attempt, fault, error }: MockRequest): string {
  const parts = [
    `${method} ${path} ${status}`,
    ...(turn === undefined ? [] : [`turn ${turn}`]),
    ...(attempt === undefined || attempt === 1 ? [] : [`attempt ${attempt}`]),
    ...(fault === undefined ? [] : [fault]),
    ...(error === undefined ? [] : [`${error.type}: ${error.message}`]),
  ];
  return parts.join(", ");
}
