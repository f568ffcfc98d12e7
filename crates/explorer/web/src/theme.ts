// Light, dark, or what the system says.

const KEY = "quaff-theme";
const themes = ["auto", "light", "dark"];

export function startTheme(button: HTMLElement): void {
  let theme = read();
  const show = () => {
    button.textContent = `Theme: ${theme}`;
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  };
  button.addEventListener("click", () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length]!;
    write(theme);
    show();
  });
  show();
}

// The storage may be closed to this page, such as to one from a file.
function read(): string {
  try {
    const theme = localStorage.getItem(KEY) ?? "auto";
    return themes.includes(theme) ? theme : "auto";
  } catch {
    return "auto";
  }
}

function write(theme: string): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // The choice then lasts as long as the page.
  }
}
