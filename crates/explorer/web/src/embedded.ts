// JSON that is embedded in the page.

export function embedded<T>(id: string): T | undefined {
  const text = document.getElementById(id)?.textContent;
  if (text === undefined || text === null || text.trim() === "") return undefined;
  try {
    return JSON.parse(text) as T;
  } catch {
    console.error(`the data #${id} of this page is no JSON`);
    return undefined;
  }
}
