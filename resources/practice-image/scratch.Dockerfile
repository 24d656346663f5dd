# The practice stack on this machine's own node binary: nothing is fetched.
# The context is made by Slipway: rootfs/ is node with its shared libraries and busybox, stack/ the practice stack.
FROM scratch
COPY rootfs/ /
COPY stack/ /opt/practice/
ENV PATH=/usr/local/bin:/bin HOME=/root
WORKDIR /opt/practice
LABEL slipway.image=practice
CMD ["node", "main.mjs"]
