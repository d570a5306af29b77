import { Client, type PriorDiscovery, SdkHttpError } from "@modelcontextprotocol/client";
import type { Clock } from "../../ports/clock.ts";
import { messageOf } from "../../tools/error.ts";
import { VERSION } from "../../wire/version.ts";
import { ServerAuthorization } from "./authorization.ts";
import { ClientConnection, type Connected, endOf, NO_TIMEOUT } from "./client-connection.ts";
import { McpConnectionError, type McpListing, type OpenConnection } from "./connection.ts";
import { HttpTransport } from "./http-transport.ts";
import type { McpLogins } from "./logins.ts";
import type { McpLimits, McpServerOptions } from "./options.ts";
import { ProcessTransport } from "./process-transport.ts";

export interface ClientOptions {
  readonly clock: Clock;
  readonly cwd: string;
  readonly limits: McpLimits;
  /** The name of the server. */
  readonly name: string;
  /** Absent: nobody can log in. */
  readonly logins?: McpLogins | undefined;
}

/**
 * Opens connections to a server with the client of the protocol: first it asks whether the server speaks 2026-07-28, and
 * falls back to 2025-11-25.
 */
export function openClient(server: McpServerOptions, options: ClientOptions): OpenConnection {
  const { clock, limits } = options;
  return async (listener, signal) => {
    const late = new AbortController();
    const cancel = clock.after(limits.connectTimeoutMs, () =>
      late.abort(
        new McpConnectionError(`It did not answer within ${limits.connectTimeoutMs} ms.`, { isFinal: false }),
      ),
    );
    const stop = AbortSignal.any([signal, late.signal]);
    try {
      const connected = await connect(server, options, stop);
      const connection = new ClientConnection(connected, server, options, listener);
      return { connection, listing: await listFirst(connection, connected.transport, stop) };
    } finally {
      cancel();
    }
  };
}

/** @throws McpConnectionError, or the reason of `signal` */
async function connect(
  server: McpServerOptions,
  options: ClientOptions,
  signal: AbortSignal,
  prior?: PriorDiscovery,
): Promise<Connected> {
  const { limits } = options;
  signal.throwIfAborted();
  const transport =
    "command" in server
      ? new ProcessTransport(server, options)
      : new HttpTransport(server, limits, new ServerAuthorization(server, options));
  const client = new Client(CLIENT_INFO, {
    capabilities: { elicitation: { form: {}, url: {} } },
    versionNegotiation: { mode: "auto", probe: { timeoutMs: limits.probeTimeoutMs } },
    inputRequired: { maxRounds: limits.inputRounds },
  });
  try {
    await endWith(transport, signal, () =>
      client.connect(transport, { ...NO_TIMEOUT, ...(prior !== undefined && { prior }) }),
    );
    return { client, transport };
  } catch (error) {
    await transport.close();
    signal.throwIfAborted();
    // Some servers of the earlier protocol end at the first request that they don't know.
    if (prior === undefined && endOf(transport) !== undefined)
      return connect(server, options, signal, { kind: "legacy" });
    throw connectionError(error, transport);
  }
}

/** The first list: a server without one is not connected. */
async function listFirst(
  connection: ClientConnection,
  transport: Connected["transport"],
  signal: AbortSignal,
): Promise<McpListing> {
  try {
    return await endWith(transport, signal, () => connection.list());
  } catch (error) {
    await connection.close();
    signal.throwIfAborted();
    throw connectionError(error, transport);
  }
}

/** Do `work`, which fails when `signal` aborts: the transport is closed then. */
async function endWith<T>(
  transport: Connected["transport"],
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  const close = (): void => void transport.close();
  signal.addEventListener("abort", close, { once: true });
  try {
    return await work();
  } finally {
    signal.removeEventListener("abort", close);
  }
}

function connectionError(cause: unknown, transport: Connected["transport"]): McpConnectionError {
  if (cause instanceof McpConnectionError) return cause;
  const isRefused = cause instanceof SdkHttpError && cause.status >= 400 && cause.status < 500;
  return new McpConnectionError(endOf(transport) ?? reasonOf(cause), {
    cause,
    isFinal: isRefused,
  });
}

/** A failed request has its reason as the cause of its cause. */
const reasonOf = (error: unknown): string =>
  error instanceof Error && error.cause instanceof Error ? reasonOf(error.cause) : messageOf(error);

const CLIENT_INFO = { name: "signalbox", version: VERSION };
