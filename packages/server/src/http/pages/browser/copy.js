// A button beside each block of code that copies it. Browsers give the clipboard only to pages they call secure.
if (navigator.clipboard !== undefined) {
  for (const block of document.querySelectorAll('pre')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.setAttribute('aria-label', 'Copy this block');
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(block.querySelector('code').textContent);
      button.textContent = 'Copied';
      setTimeout(() => {
        button.textContent = 'Copy';
      }, 1500);
    });
    const frame = document.createElement('div');
    frame.className = 'block';
    block.replaceWith(frame);
    frame.append(block, button);
  }
}
