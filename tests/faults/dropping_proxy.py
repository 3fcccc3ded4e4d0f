"""A TCP proxy on loopback whose connections can vanish as behind a firewall: nothing arrives, and nobody is told."""

import ctypes
import select
import socket
import struct
import threading

_SO_ATTACH_FILTER = 26  # Linux
_DROP_ALL = struct.pack("HBBI", 0x06, 0, 0, 0)  # a filter of one instruction: return 0 bytes of every packet


class DroppingProxy:
    """Passes connections on to a port of this machine."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._dropped: list[socket.socket] = []
        self._lock = threading.Lock()
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> "DroppingProxy":
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()
        for pair in self._pairs:
            for end in pair:
                end.close()

    def drop(self) -> None:
        """Discard every packet of present connections in the kernel, so that not even its arrival is acknowledged. New
        connections work."""
        with self._lock:
            pairs, self._pairs = self._pairs, []
            for client, _server in pairs:
                if client.fileno() < 0:  # closed meanwhile
                    continue
                program = ctypes.create_string_buffer(_DROP_ALL)
                client.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, struct.pack("HL", 1, ctypes.addressof(program)))
                self._dropped.append(client)

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:  # closed at the end
                return
            try:
                server = socket.create_connection(("127.0.0.1", self._target))
            except OSError:  # the server is down
                client.close()
                continue
            with self._lock:
                self._pairs.append((client, server))
            threading.Thread(target=self._pass_on, args=(client, server), daemon=True).start()

    def _pass_on(self, client: socket.socket, server: socket.socket) -> None:
        others = {client: server, server: client}
        try:
            while client not in self._dropped:
                for ready in select.select([client, server], [], [], 0.1)[0]:
                    data = ready.recv(65536)
                    if not data:
                        return
                    if client not in self._dropped:
                        others[ready].sendall(data)
        except OSError:
            return
        finally:
            server.close()
            if client not in self._dropped:
                client.close()
