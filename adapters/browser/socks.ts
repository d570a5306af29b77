import { once } from "node:events";
import type { Socket } from "node:net";

/** The request of a client to the proxy (RFC 1928). */
export interface SocksRequest {
  /** A name, or an address without brackets. */
  readonly host: string;
  readonly port: number;
}

/** The replies that are sent. */
export const REPLY = { connected: 0, refused: 2, unreachable: 4 } as const;

const VERSION = 5;
const NO_AUTHENTICATION = 0;
const CONNECT = 1;
const IPV4 = 1;
const NAME = 3;
const IPV6 = 4;

/** Read the greeting and the request of a client. @throws Error for anything else */
export async function readRequest(client: Socket): Promise<SocksRequest> {
  const [version, methods = 0] = await take(client, 2);
  await take(client, methods);
  if (version !== VERSION) throw new Error(`expected version ${VERSION} of SOCKS, received ${version}`);
  client.write(Uint8Array.of(VERSION, NO_AUTHENTICATION));
  const [, command, , type] = await take(client, 4);
  if (command !== CONNECT) throw new Error(`expected the command ${CONNECT}, received ${command}`);
  const host = await readHost(client, type);
  return { host, port: (await take(client, 2)).readUInt16BE() };
}

/** Send a reply. The address of the connection is left out. */
export function sendReply(client: Socket, reply: (typeof REPLY)[keyof typeof REPLY]): void {
  client.write(Uint8Array.of(VERSION, reply, 0, IPV4, 0, 0, 0, 0, 0, 0));
}

async function readHost(client: Socket, type: number | undefined): Promise<string> {
  if (type === IPV4) return (await take(client, 4)).join(".");
  if (type === IPV6) return (await take(client, 16)).toString("hex").replaceAll(/(....)(?=.)/g, "$1:");
  if (type !== NAME) throw new Error(`expected an address, received the type ${type}`);
  const [length = 0] = await take(client, 1);
  return (await take(client, length)).toString("latin1");
}

/** The next bytes, exactly as many. @throws Error if the client ends before */
async function take(client: Socket, count: number): Promise<Buffer> {
  if (count === 0) return Buffer.alloc(0);
  for (;;) {
    const bytes: unknown = client.read(count);
    if (bytes instanceof Buffer && bytes.length === count) return bytes;
    if (client.readableEnded || client.destroyed || bytes !== null) throw new Error("the client has ended");
    await once(client, "readable");
  }
}
