"""Worlds to try things in: auctions, network packets and RFID readings, seeded and repeatable."""
