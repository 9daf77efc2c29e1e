// Adds a copy button to each code block. Browsers expose the clipboard only to pages in a secure context.
if (navigator.clipboard !== undefined) {
  for (const block of document.querySelectorAll('pre')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.setAttribute('aria-label', 'Copy this block');
    const copied = () => {
      button.textContent = 'Copied';
      setTimeout(() => {
        button.textContent = 'Copy';
      }, 1500);
    };
    button.addEventListener('click', () => {
      navigator.clipboard.writeText(block.querySelector('code').textContent).then(copied, reportError);
    });
    const frame = document.createElement('div');
    frame.className = 'block';
    block.replaceWith(frame);
    frame.append(block, button);
  }
}
