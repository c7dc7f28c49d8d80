// The users of the demo server that `.ci/clients` starts, read from what it prints.

export const api = required("API");
export const alice = { id: "123456789", authorization: authorization("ALICE") };
export const bob = { id: "987654321", authorization: authorization("BOB") };

/** A group id that does not exist. */
export const unknownGroup = "0190a1b2-0000-7000-8000-000000000001";

function authorization(name: string): string {
  return required(name).replace(/^Authorization: /, "");
}

function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set`);
  return value;
}
