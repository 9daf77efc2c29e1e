/** A word of the service as it begins a label: "In use" of "in_use". */
export function capital(word: string): string {
  const text = word.replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
