import type { SandboxOptions } from "../sandbox/options.ts";

/** A server that runs as a process and speaks on its stdin and stdout. */
export interface McpProcess {
  /** The program: a name in `PATH`, or a path. No shell interprets it. */
  readonly command: string;
  readonly args?: readonly string[];
  /** Variables besides `HOME`, `LOGNAME`, `PATH`, `SHELL`, `TERM` and `USER`, which it inherits. */
  readonly env?: Readonly<Record<string, string>>;
  /** Default: the folder of `McpOptions.cwd`. */
  readonly cwd?: string;
  /** Run it in a sandbox, with `McpOptions.cwd` as the folder that it may write. Default: it runs without one. */
  readonly sandbox?: SandboxOptions;
}

/** A server that speaks streamable HTTP. */
export interface McpEndpoint {
  readonly url: string;
  /** Headers of every request, such as `Authorization`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** How a login asks for access. Default: the client registers itself, and requests the scopes that the server names. */
  readonly oauth?: McpOAuth;
}

/** The settings that a login to a server is requested with. */
export interface McpOAuth {
  /** A client that is registered with the authorization server, or the URL of its metadata document. */
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** The authorization server of `clientId`, by its issuer. With another one, a login fails. Default: the issuer that the server names. */
  readonly issuer?: string;
  /** Default: those that the server names. */
  readonly scopes?: readonly string[];
}

/** How a server is reached, and what is used of it. */
export type McpServerOptions = (McpProcess | McpEndpoint) & {
  /** Whether it is left out. Default false. */
  readonly disabled?: boolean;
  /** Seconds that a call may last without progress, in place of `callTimeoutMs`. */
  readonly timeout?: number;
  /** Tools that are neither offered nor accepted. */
  readonly disabledTools?: readonly string[];
};

/** Limits of the connection to one server (L14). */
export interface McpLimits {
  /** Maximum time until a server is connected and its tools are listed, in milliseconds. Default 30,000. */
  readonly connectTimeoutMs: number;
  /** Maximum time of the question whether a server speaks the newest protocol, in milliseconds. Default 10,000. */
  readonly probeTimeoutMs: number;
  /** Maximum time of a call without progress, in milliseconds. Default 60,000. */
  readonly callTimeoutMs: number;
  /** Maximum time of a call with progress, in milliseconds. Default 1,800,000. */
  readonly callMaxMs: number;
  /** Maximum time of a login by a person, in milliseconds. Default 300,000. */
  readonly loginTimeoutMs: number;
  /** Maximum time of a request to an authorization server, in milliseconds. Default 10,000. */
  readonly authorizationTimeoutMs: number;
  /** Maximum bytes of a response of an authorization server. Default 1,000,000. */
  readonly authorizationBytes: number;
  /** Maximum times that a server asks for input within a call. Default 10. */
  readonly inputRounds: number;
  /** Attempts to connect again in a row. Default 5. */
  readonly reconnects: number;
  /** Delay of the first of them, in milliseconds; it doubles with each. Default 500. */
  readonly reconnectDelayMs: number;
  /** Maximum delay, in milliseconds. Default 30,000. */
  readonly reconnectDelayMaxMs: number;
  /** Time after which a connection counts as stable: then the attempts begin anew, in milliseconds. Default 30,000. */
  readonly stableAfterMs: number;
  /** Minimum time after which a list of tools expires, whatever its server says, in milliseconds. Default 1,000. */
  readonly listTtlMinMs: number;
  /** Time in which a process ends after its stdin, then after SIGTERM, in milliseconds each. Default 2,000. */
  readonly exitGraceMs: number;
  /** Maximum bytes of one message of a server. The request of a longer one ends with an error. Default 10,000,000. */
  readonly messageBytes: number;
  /** Maximum bytes of a message that is too long: a server that sends more is disconnected. Default 1,000,000,000. */
  readonly discardedBytes: number;
  /** Maximum number of tools of a server; further ones are left out. Default 200. */
  readonly tools: number;
  /** Maximum bytes of a tool's schema; a tool with a longer one is left out. Default 50,000. */
  readonly schemaBytes: number;
  /** Maximum number of prompts of a server; further ones are left out. Default 200. */
  readonly prompts: number;
  /** Maximum bytes of a prompt's text; a longer one is rejected. Default 200,000. */
  readonly promptBytes: number;
  /** Maximum bytes of a tool's or a prompt's description; its end is cut with a mark. Default 4,000. */
  readonly descriptionBytes: number;
}

export const MCP_LIMITS: McpLimits = {
  connectTimeoutMs: 30_000,
  probeTimeoutMs: 10_000,
  callTimeoutMs: 60_000,
  callMaxMs: 1_800_000,
  loginTimeoutMs: 300_000,
  authorizationTimeoutMs: 10_000,
  authorizationBytes: 1_000_000,
  inputRounds: 10,
  reconnects: 5,
  reconnectDelayMs: 500,
  reconnectDelayMaxMs: 30_000,
  stableAfterMs: 30_000,
  listTtlMinMs: 1_000,
  exitGraceMs: 2_000,
  messageBytes: 10_000_000,
  discardedBytes: 1_000_000_000,
  tools: 200,
  schemaBytes: 50_000,
  prompts: 200,
  promptBytes: 200_000,
  descriptionBytes: 4_000,
};
