import { type MockRequest, startMock } from "../../testing/mock/index.ts";
import { CliError, wordsOf } from "../error.ts";
import { EXIT } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { readScript } from "../run/index.ts";

export interface MockFlags {
  readonly script?: string;
  readonly port: number;
}

/** Serves a script until a signal comes. */
export async function mock({ script, port }: MockFlags, io: Io): Promise<number> {
  const parsed = await readScript(script);
  const server = await startMock(parsed, {
    port,
    onRequest: (request) => io.stderr.write(`${sayRequest(request)}\n`),
  }).catch((error: unknown) => {
    throw new CliError(`no server on port ${port}: ${wordsOf(error)}. Choose another one, or 0 for any.`, {
      cause: error,
    });
  });
  io.stdout.write(
    `Listening on ${server.url}\nTry: signalbox run --base-url ${server.url} --api-key any "PROMPT"\n`,
  );
  const code = await new Promise<number>((resolve) => {
    io.on("SIGINT", () => resolve(EXIT.interrupted));
    io.on("SIGTERM", () => resolve(EXIT.terminated));
  });
  await server.close();
  return code;
}

function sayRequest({ method, path, status, turn, attempt, fault, error }: MockRequest): string {
  const said = [
    `${method} ${path} ${status}`,
    ...(turn === undefined ? [] : [`turn ${turn}`]),
    ...(attempt === undefined || attempt === 1 ? [] : [`attempt ${attempt}`]),
    ...(fault === undefined ? [] : [fault]),
    ...(error === undefined ? [] : [`${error.type}: ${error.message}`]),
  ];
  return said.join(", ");
}
