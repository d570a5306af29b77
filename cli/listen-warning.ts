/** Format a warning about an address that other machines can reach. Empty for one that they can't. */
export const formatListenWarning = (address: string): string =>
  isLoopback(address)
    ? ""
    : `Warning: anyone who can reach ${address} and has the token can run commands on this machine.\n`;

const isLoopback = (address: string): boolean =>
  address === "localhost" || address === "::1" || address.startsWith("127.");
