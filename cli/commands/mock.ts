import { type MockRequest, startMock } from "../../testing/mock/index.ts";
import { CliError, EXIT, errorMessage } from "../error.ts";
import type { Io } from "../io.ts";
import { readScript } from "../run/index.ts";

export interface MockFlags {
  readonly script?: string;
  readonly port: number;
}

/** Serve a script until a signal. */
export async function mock({ script, port }: MockFlags, io: Io): Promise<number> {
  const parsed = await readScript(script);
  const server = await startMock(parsed, {
    port,
    onRequest: (request) => io.stderr.write(`${formatRequest(request)}\n`),
  }).catch((error: unknown) => {
    throw new CliError(
      `can't listen on port ${port}: ${errorMessage(error)}. Use another --port, or 0 for a free one.`,
      { cause: error },
    );
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
